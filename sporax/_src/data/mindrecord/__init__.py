"""MindRecord files: pages of records in one file, and beside it an SQLite file that says where each record is.

A file `name` holds

    8 bytes       length of the header (little-endian, as all numbers unless said otherwise)
    header        JSON: sizes, schema, names of the shards, pages; space up to `header_size`
    pages         of `page_size` bytes each, of two kinds: BLOB_DATA (arrays and bytes), RAW_DATA (numbers and text)

and `name.db` a table INDEXES with one line per record: page and offsets of its two parts, and the indexed fields.
Both parts begin with 8 bytes of length. The raw part is a MessagePack map. The blob part is the fields one after the
other in order of their names, each behind 8 bytes of length (big-endian) if there are several. Integer arrays are
packed: see `packing`.

A kill leaves all files of the old set or all of the new one: see `base.atomic`.

Reading order: `layout` (header and pages), `packing`, `reader`, `writer`, `encryption` (of both files), `errors`.
"""
