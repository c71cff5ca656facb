"""What `tools/build_site.py` builds the site from: `docstring` turns a docstring into Markdown, `reference` makes a page for
each public name, `links` says where the site has the pages of the repository, and leads their links there,
`notebook` makes a notebook of a page.
"""
