"""`mint`: torch's signatures over the op table; `adapt` reads the tables of `namespace` and `functional`."""
