"""What all packages use: checks of arguments, compiled loops, written files, estimators, progress, names."""
