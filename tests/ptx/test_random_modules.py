"""Random modules in PTX give the results of a simple interpreter."""

import pytest
import random_modules

pytestmark = pytest.mark.usefixtures("context")

SEEDS = 100
GROUP = 25


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_random_modules(first):
    assert not list(random_modules.differences(range(first, first + GROUP)))


@pytest.mark.parametrize("seed", [508865, 510097])
def test_modules_that_found_faults(seed):
    """A value from before a loop was replaced where the loop is restored."""
    assert not list(random_modules.differences(range(seed, seed + 1)))
