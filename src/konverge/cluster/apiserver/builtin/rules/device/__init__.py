"""The kinds of resource.k8s.io: classes of devices, claims on them, and the slices in which drivers offer them."""
