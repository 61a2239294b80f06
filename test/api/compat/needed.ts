/**
 * Which fields of an answer are missing. Paths: `results[].job_type.id` in every item of a list that has some,
 * `nodes.*.node_type` in every member, `recipe?.recipe_type` only where there is a recipe. A field that is there may be
 * null, unless something is needed inside it.
 */

/** The places where something needed is missing; empty: nothing. */
export function missing(answer: unknown, path: string): readonly string[] {
  const steps = path.replaceAll('[]', '.[]').split('.');
  return look(answer, steps, 0, '');
}

function look(value: unknown, steps: readonly string[], index: number, at: string): readonly string[] {
  const step = steps[index];
  if (step === undefined) return value === undefined ? [`${at} is absent`] : [];
  if (step === '[]' || step === '*') {
    const isRight = step === '[]' ? Array.isArray(value) : typeof value === 'object' && value !== null;
    const items = isRight ? Object.entries(value as object) : [];
    if (items.length === 0) return [`${at} has no items`];
    return items.flatMap(([key, item]) => look(item, steps, index + 1, `${at}[${key}]`));
  }
  if (typeof value !== 'object' || value === null) return [`${at} is ${JSON.stringify(value)}`];
  const isOptional = step.endsWith('?');
  const name = isOptional ? step.slice(0, -1) : step;
  const inner = (value as Record<string, unknown>)[name];
  if (isOptional && (inner === undefined || inner === null)) return [];
  return look(inner, steps, index + 1, `${at}.${name}`);
}
