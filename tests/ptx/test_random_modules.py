"""Random modules in PTX give the results of a simple interpreter."""

import pytest
import random_modules

pytestmark = pytest.mark.usefixtures("context")

SEEDS = 100
GROUP = 25


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_random_modules(first):
    assert not list(random_modules.differences(range(first, first + GROUP)))
