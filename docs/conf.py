"""Sphinx's configuration of the documentation site (`./run docs`).

``tools/site/stage.py`` copies this folder and the project's other pages to
``build/docs/source`` first, generates the API reference there, and Sphinx
builds that copy.
"""

# SPDX-License-Identifier: MIT

import os
import sys
import warnings
from pathlib import Path

import pycuda

ROOT = Path(os.environ["PYCUDA_SITE_ROOT"])
sys.path.insert(0, str(ROOT / "tools/site"))
# Pictures are made without a GPU, and the announcement of the CPU device is
# not part of the programs' output.
os.environ["PYCUDA_DEVICE"] = "cpu"
warnings.filterwarnings("ignore", message=".*CPU device.*")

project = "pycuda-c"
author = "the authors of pycuda-c"
copyright = author
version = release = pycuda.VERSION_TEXT

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "stub_signatures",
]
root_doc = "index"
exclude_patterns = [
    "requirements.txt",
    "**/*.toml",
    "**/*.json",
    "gallery/*.py",
    "gallery/*.ipynb",
    "gallery/*.md5",
]
default_role = "code"
# Texts of reports contain marks that no language has.
suppress_warnings = ["misc.highlighting_failure"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build/docs/notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "alphabetical"
autodoc_typehints = "none"
autodoc_docstring_signature = False
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples/gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": (True, "jshtml"),
    "min_reported_time": 0,
    "write_computation_times": False,
    "remove_config_comments": True,
    "show_memory": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "pycuda-c"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 9,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "logo": {"text": "pycuda-c"},
}
