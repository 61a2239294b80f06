/**
 * The result of checking something a person wrote: every problem, not the first.
 * Nothing here knows what is being checked.
 */

/**
 * One thing wrong (or doubtful): a stable name, a sentence, and where (`files[2].filename_regex`; '' = all of
 * it).
 */
export interface Problem {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

/** The outcome of a validation. Warnings come with either; a value only when nothing is wrong. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Collects problems while a validation walks its input. Bounded: past `problemsMax` the rest is one problem.
 */
export class IssueList {
  readonly #errors: Problem[] = [];
  readonly #warnings: Problem[] = [];
  readonly #problemsMax: number;

  constructor(problemsMax = 1_000) {
    this.#problemsMax = problemsMax;
  }

  /** `path` before `description`, because the path is what varies between neighbours. */
  error(name: string, path: string, description: string): void {
    this.#add(this.#errors, { name, description, path });
  }

  warning(name: string, path: string, description: string): void {
    this.#add(this.#warnings, { name, description, path });
  }

  /** Takes over the problems of a nested check, putting `prefix` before their paths. */
  include(prefix: string, from: { errors?: readonly Problem[]; warnings?: readonly Problem[] }): void {
    for (const problem of from.errors ?? []) this.#add(this.#errors, under(prefix, problem));
    for (const problem of from.warnings ?? []) this.#add(this.#warnings, under(prefix, problem));
  }

  get errors(): readonly Problem[] {
    return this.#errors;
  }

  get warnings(): readonly Problem[] {
    return this.#warnings;
  }

  get ok(): boolean {
    return this.#errors.length === 0;
  }

  /** The value if nothing is wrong; `make` is not called otherwise. */
  finish<T>(make: () => T): Checked<T> {
    if (!this.ok) return { ok: false, errors: this.#errors, warnings: this.#warnings };
    return { ok: true, value: make(), warnings: this.#warnings };
  }

  #add(list: Problem[], problem: Problem): void {
    if (list.length < this.#problemsMax) list.push(problem);
    else if (list.length === this.#problemsMax) {
      list.push({ name: 'TOO_MANY_PROBLEMS', description: 'further problems are not listed', path: '' });
    }
  }
}

function under(prefix: string, problem: Problem): Problem {
  if (prefix === '') return problem;
  if (problem.path === '') return { ...problem, path: prefix };
  const glue = problem.path.startsWith('[') ? '' : '.';
  return { ...problem, path: `${prefix}${glue}${problem.path}` };
}
