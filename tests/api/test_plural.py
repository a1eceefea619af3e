import pytest

from konverge.api.plural import plural_of

# Asked of github.com/gobuffalo/flect 1.0.3, which controller-gen uses.
WORDS = """
MarkdownView markdownviews
NetworkPolicy networkpolicies
Gateway gateways
Box boxes
Index indices
IngressClass ingressclasses
Status statuses
Alias aliases
Redis redis
Analysis analyses
Settings settings
Endpoints endpoints
Batch batches
Mesh meshes
Shelf shelves
Knife knives
Proof proofs
Photo photos
Person people
Human humans
Woman women
Database databases
Datum data
Metadata metadata
Medium media
Matrix matrices
Series series
Nginx nginxes
Query queries
HTTPRoute httproutes
Canvas canvas
"""


@pytest.mark.parametrize(("kind", "plural"), [line.split() for line in WORDS.split("\n") if line])
def test_plurals_are_those_of_controller_gen(kind: str, plural: str) -> None:
    """Kinds as people name them have the plural that controller-gen would give them."""
    assert plural_of(kind) == plural


def test_words_in_o_take_an_s() -> None:
    """There controller-gen says repoes and videoes, which nobody does."""
    assert plural_of("Repo") == "repos"
