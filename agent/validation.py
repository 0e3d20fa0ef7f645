"""Whether the state of a turn that is over holds together: what `weft trace` tells beside the log of its nodes."""

from agent.packs.pack import Limits
from agent.types import Response, StepStatus


def validation(response: Response, limits: Limits) -> dict[str, object]:
    """Return `is_valid` and `errors`, a line for each thing that cannot be; no words of people or documents."""
    errors: list[str] = []
    steps = response.plan.steps if response.plan else ()
    names = {step.id for step in steps}
    for step in steps:
        if not step.status.final:
            errors.append(f"step {step.id} is {step.status.value} at the end")
        if step.status is StepStatus.COMPLETED and step.progress != 100:
            errors.append(f"step {step.id} is completed at {step.progress} %")
        missing = [name for name in step.dependencies if name not in names]
        errors += [f"step {step.id} waits for {name}, which there is not" for name in missing]
    if response.retry_count > limits.max_retries:
        errors.append(f"{response.retry_count} retries, {limits.max_retries} allowed")
    if response.iteration_count > limits.max_refine_iterations:
        errors.append(f"{response.iteration_count} searches again, {limits.max_refine_iterations} allowed")
    if response.citations and not response.answer:
        errors.append("citations without an answer")
    if not 0 <= response.confidence <= 1:
        errors.append(f"a confidence of {response.confidence}")
    return {"is_valid": not errors, "errors": errors}
