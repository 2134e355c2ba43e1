"""nginx at one end of an emulated path, for scripts."""

CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    {settings}
    server {{ root {folder}/files; {server} }}
}}
"""


def configure(folder, server, settings=""):
    """Write the configuration, with these lines in `server` and `http`. Returns the command that
    serves folder/files."""
    folder.chmod(0o755)
    (folder / "files").mkdir()
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, server=server, settings=settings))
    return f"nginx -p {folder} -c {config}"
