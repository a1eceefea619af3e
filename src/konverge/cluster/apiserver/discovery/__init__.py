"""Discovery: which groups, versions and resources the server has, in the order and the forms of the real server."""

from konverge.cluster.apiserver.discovery.discovery import Discovery, page_not_found, unreadable_path

__all__ = ["Discovery", "page_not_found", "unreadable_path"]
