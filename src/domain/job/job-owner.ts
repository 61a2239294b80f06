/** Owners of jobs as text: a launch carries it to the agent, and every report repeats it. */
import type { JobOwner } from './job.ts';

const KINDS: readonly string[] = ['job', 'recipe', 'strike', 'scan'];

export function ownerText(owner: JobOwner): string {
  return `${owner.kind}/${owner.key}`;
}

/** Undefined for a text that is not an owner. */
export function ownerOf(text: string): JobOwner | undefined {
  const [kind, key, ...rest] = text.split('/');
  const id = Number(key);
  if (kind === undefined || rest.length > 0 || !KINDS.includes(kind)) return undefined;
  if (!Number.isSafeInteger(id) || id <= 0) return undefined;
  return { kind: kind as JobOwner['kind'], key: id };
}
