"""A node that runs pods as processes of this machine: no containers, no images, no Docker.

A catalogue says which local command runs in the place of an image. What a pod asks for becomes an environment, folders
and a process in a session of its own, with an address of the loopback range; probes, restarts, hooks and logs are as
with a kubelet. The way of a pod:

    ProcessNode (a konverge controller) ─▶ PodRun ─▶ plan (pure) ─▶ ContainerRun ─▶ Process
                                                 └─▶ status (pure) ─▶ API server
"""

from __future__ import annotations

from konverge.cluster.node.process.catalogue import Catalogue
from konverge.cluster.node.process.image import Image
from konverge.cluster.node.process.node import ProcessNode

__all__ = ["Catalogue", "Image", "ProcessNode"]
