"""What PyTorch has and MindSpore lacks: functions and classes that converted programs import."""
