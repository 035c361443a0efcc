"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# Speed is no matter of right or wrong here: a busy machine must not fail a test.
settings.register_profile("facedown", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("facedown")
