"""Laws over tables: what every row must satisfy; a new row is tested by existing."""
