"""Teams: who does a step of the plan. Each takes a `TeamTask` and brings back an `Outcome`."""
