"""What the operator does about a MyResource, on a cluster in which Deployments become pods."""

import konverge as kv
import pytest
from konverge.models import apps_v1, events_v1
from konverge.testing import Cluster, apply, eventually, wait_children, wait_for, wait_gone

from conftest import Operator
from myresource.api.v1.my_resource import MyResource, MyResourceSpec

pytestmark = pytest.mark.cluster(controllers=True)
