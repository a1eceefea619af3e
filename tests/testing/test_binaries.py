"""Where programs are looked for."""

from pathlib import Path

import pytest

from konverge.testing import binaries


def fill(folder: Path, *names: str) -> Path:
    """Put executable files of these names into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


def test_cache_folder_follows_the_platform() -> None:
    """The folder is the one the platform sets aside for caches, and its key names both versions."""
    assert binaries.cache_root({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "linux") == Path("/x/konverge")
    assert binaries.cache_root({"HOME": "/h"}, "linux") == Path("/h/.cache/konverge")
    assert binaries.cache_root({"HOME": "/h"}, "darwin") == Path("/h/Library/Caches/konverge")
    key = binaries.cache_folder({"HOME": "/h"}, "linux").name
    assert binaries.KUBERNETES in key
    assert binaries.ETCD in key


def test_lookup_order(tmp_path: Path) -> None:
    """Our variable wins, then kubebuilder's, then the cache; programs of two folders are never mixed."""
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    cache = fill(binaries.cache_folder(environ), *binaries.PROGRAMS)
    assert binaries.find("etcd", environ=environ) == {"etcd": cache / "etcd"}
    envtest = fill(tmp_path / "envtest", "etcd", "kube-apiserver", "kubectl")
    environ["KUBEBUILDER_ASSETS"] = str(envtest)
    assert binaries.find("etcd", environ=environ) == {"etcd": envtest / "etcd"}
    both = binaries.find("etcd", "kube-controller-manager", environ=environ)
    assert {path.parent for path in both.values()} == {cache}
    own = fill(tmp_path / "own", "etcd")
    environ["KONVERGE_KUBE_ASSETS"] = str(own)
    assert binaries.find("etcd", environ=environ) == {"etcd": own / "etcd"}


def test_a_folder_that_was_named_is_not_passed_over(tmp_path: Path) -> None:
    """With KONVERGE_KUBE_ASSETS set, a missing program is an error even if the cache has it."""
    environ = {"XDG_CACHE_HOME": str(tmp_path), "KONVERGE_KUBE_ASSETS": str(tmp_path / "own")}
    fill(binaries.cache_folder(environ), *binaries.PROGRAMS)
    with pytest.raises(binaries.MissingBinaries, match="own has no etcd, kubectl: run `make kube`"):
        binaries.find("etcd", "kubectl", environ=environ)
