/**
 * Places in JSON values, written as paths: `configuration.broker`, `results[]`, `sub_recipes.*`. What is changed at a
 * place is changed in a copy of what leads there: values that others hold stay as they are.
 */

type Holder = Readonly<Record<string, unknown>>;

/** An array of anything is no holder of fields. */
export function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of plain names; undefined where there is none. An empty path is the value. */
export function valueAt(value: unknown, path: string): unknown {
  const steps = path === '' ? [] : path.split('.');
  return steps.reduce<unknown>((at, step) => (isHolder(at) ? at[step] : undefined), value);
}

/** The value with `change` applied to each object at the path; what is no object there stays. */
export function changeAt(value: unknown, path: string, change: (holder: Holder) => Holder): unknown {
  const steps = path === '' ? [] : path.replaceAll('[]', '.[]').split('.');
  return descend(value, steps, 0, change);
}

function descend(
  value: unknown,
  steps: readonly string[],
  index: number,
  change: (holder: Holder) => Holder,
): unknown {
  const step = steps[index];
  if (step === undefined) return isHolder(value) ? change(value) : value;
  if (step === '[]') {
    return Array.isArray(value) ? value.map((item) => descend(item, steps, index + 1, change)) : value;
  }
  if (!isHolder(value)) return value;
  if (step === '*') {
    const entries = Object.entries(value).map(([name, item]) => [
      name,
      descend(item, steps, index + 1, change),
    ]);
    return Object.fromEntries(entries);
  }
  if (!Object.hasOwn(value, step)) return value;
  const before = value[step];
  const after = descend(before, steps, index + 1, change);
  return after === before ? value : { ...value, [step]: after };
}
