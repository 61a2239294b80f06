/**
 * Places in JSON values, written as paths: `configuration.broker`, `results[]`, `sub_recipes.*`. If a change returns
 * another object, the objects on the path are copied, so that the original is not modified.
 */

type Holder = Readonly<Record<string, unknown>>;
type Changing = (holder: Record<string, unknown>) => Holder;

/** Whether the value is an object and not an array. */
export function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of plain names; undefined if there is none. An empty path is the value itself. */
export function valueAt(value: unknown, path: string): unknown {
  const steps = path === '' ? [] : path.split('.');
  return steps.reduce<unknown>((at, step) => (isHolder(at) ? at[step] : undefined), value);
}

/** The value with `change` applied to each object at the path; other values stay. */
export function changeAt(value: unknown, path: string, change: Changing): unknown {
  const steps = path === '' ? [] : path.replaceAll('[]', '.[]').split('.');
  return descend(value, steps, 0, change);
}

function descend(value: unknown, steps: readonly string[], index: number, change: Changing): unknown {
  const step = steps[index];
  if (step === undefined) return isHolder(value) ? change(value) : value;
  if (step === '[]') {
    if (!Array.isArray(value)) return value;
    const items = value.map((item) => descend(item, steps, index + 1, change));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isHolder(value)) return value;
  if (step === '*') {
    const before = Object.entries(value);
    const after = before.map(([name, item]) => [name, descend(item, steps, index + 1, change)] as const);
    return after.some(([, item], at) => item !== before[at]?.[1]) ? Object.fromEntries(after) : value;
  }
  if (!Object.hasOwn(value, step)) return value;
  const before = value[step];
  const after = descend(before, steps, index + 1, change);
  return after === before ? value : { ...value, [step]: after };
}
