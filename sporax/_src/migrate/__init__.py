"""From PyTorch to here. Read `compare`; `page` and `files` serve the reports of all tools."""
