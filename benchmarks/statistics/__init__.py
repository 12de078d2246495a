"""Statistics: detection, calibration, resampling, logical consistency."""
