"""What users are granted, and that it is remembered no longer than it holds."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cluster.apiserver.access.conftest import Store

from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.access.attempt import Attempt
