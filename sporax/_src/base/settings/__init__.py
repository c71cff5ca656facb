"""base/settings"""
