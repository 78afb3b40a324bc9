"""What ci/check looks at: one module for each check, and the tree that they read."""
