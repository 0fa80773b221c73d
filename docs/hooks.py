"""What the docs site adds to docs/: the pages that a forge wants in the root folder, as pages of the site."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT_PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the root pages; their links to docs/ and to each other become links within the site."""
    for name in ROOT_PAGES:
        text = (Path(config.config_file_path).parent / name).read_text(encoding="utf-8").replace("](docs/", "](")
        for other in ROOT_PAGES:
            text = text.replace(f"]({other}", f"]({other.lower()}")
        files.append(File.generated(config, name.lower(), content=text))
    return files
