/**
 * The result of checking user input: every problem, not only the first. Lists are bounded: they hold the first
 * `PROBLEMS_MAX` problems, and the number of further ones. This module does not know what is being checked.
 */

/**
 * An error or a warning: a stable name, a sentence, and its place (`files[2].filename_regex`; '' = the whole document).
 */
export interface Problem {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** Only in the last entry of a list, TOO_MANY_PROBLEMS: the number of problems that are not listed. */
  readonly count?: number;
}

/** The result of a validation. Warnings accompany either; a value only if there is no error. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] };

/** limit: problems of one list. Further ones are counted. */
export const PROBLEMS_MAX = 100;
/** limit: characters of one problem's path, and of its description, because both quote user input. */
export const PROBLEM_CHARS_MAX = 1_000;

const TOO_MANY = 'TOO_MANY_PROBLEMS';

/** The first problems that were added, and the number of others. */
class ProblemList {
  readonly #problemsMax: number;
  readonly #listed: Problem[] = [];
  #unlistedCount = 0;

  constructor(problemsMax: number) {
    this.#problemsMax = problemsMax;
  }

  /** The texts are built only if the problem is listed: `prefix` goes before its path. */
  add(problem: Problem, prefix = ''): void {
    if (problem.count !== undefined) this.#unlistedCount += problem.count;
    else if (this.isFull) this.#unlistedCount += 1;
    else this.#listed.push(bounded(prefix === '' ? problem : under(prefix, problem)));
  }

  /** Counts problems that are not listed. */
  count(problemCount: number): void {
    this.#unlistedCount += problemCount;
  }

  get problemCount(): number {
    return this.#listed.length + this.#unlistedCount;
  }

  get isFull(): boolean {
    return this.#listed.length >= this.#problemsMax;
  }

  toArray(): readonly Problem[] {
    if (this.#unlistedCount === 0) return this.#listed;
    const description = `${this.#unlistedCount} further problems are not listed`;
    return [...this.#listed, { name: TOO_MANY, description, path: '', count: this.#unlistedCount }];
  }
}

/** Collects problems while a validation walks its input. */
export class IssueList {
  readonly #errors: ProblemList;
  readonly #warnings: ProblemList;

  constructor(problemsMax = PROBLEMS_MAX) {
    this.#errors = new ProblemList(problemsMax);
    this.#warnings = new ProblemList(problemsMax);
  }

  /** `path` comes before `description`, because the path differs between similar calls. */
  error(name: string, path: string, description: string): void {
    if (this.#errors.isFull) this.#errors.count(1);
    else this.#errors.add({ name, description, path });
  }

  warning(name: string, path: string, description: string): void {
    if (this.#warnings.isFull) this.#warnings.count(1);
    else this.#warnings.add({ name, description, path });
  }

  /** Adds the problems of a nested check, with `prefix` before their paths. */
  include(prefix: string, from: { errors?: readonly Problem[]; warnings?: readonly Problem[] }): void {
    for (const problem of from.errors ?? []) this.#errors.add(problem, prefix);
    for (const problem of from.warnings ?? []) this.#warnings.add(problem, prefix);
  }

  get errors(): readonly Problem[] {
    return this.#errors.toArray();
  }

  get warnings(): readonly Problem[] {
    return this.#warnings.toArray();
  }

  /** Whether another error would only be counted, so that its texts need not be built. */
  get isFullOfErrors(): boolean {
    return this.#errors.isFull;
  }

  /** Whether another warning would only be counted. */
  get isFullOfWarnings(): boolean {
    return this.#warnings.isFull;
  }

  /** Counts errors without listing them. */
  countErrors(count: number): void {
    this.#errors.count(count);
  }

  /** Includes those that are not listed. */
  get errorCount(): number {
    return this.#errors.problemCount;
  }

  get ok(): boolean {
    return this.errorCount === 0;
  }

  /** The value if there is no error; otherwise `make` is not called. */
  finish<T>(make: () => T): Checked<T> {
    const { errors, warnings } = this;
    return this.ok ? { ok: true, value: make(), warnings } : { ok: false, errors, warnings };
  }
}

/** Joins several lists into one, with the same limit. */
export function joinProblems(...lists: readonly (readonly Problem[])[]): readonly Problem[] {
  const joined = new ProblemList(PROBLEMS_MAX);
  for (const list of lists) for (const problem of list) joined.add(problem);
  return joined.toArray();
}

/** The problems, each changed by `change`; a last entry that only counts stays as it is. */
export function mapProblems(
  problems: readonly Problem[],
  change: (problem: Problem) => Problem,
): readonly Problem[] {
  return problems.map((problem) => (problem.count === undefined ? change(problem) : problem));
}

/** The number of problems that a list stands for, including those that it only counts. */
export function problemCount(problems: readonly Problem[]): number {
  return problems.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** A list as one sentence: its first problem with its path, and how many more there are. */
export function problemSentence(problems: readonly Problem[], whole = 'the body'): string {
  const [first] = problems;
  if (first === undefined) return `${whole} is not accepted`;
  const more = problemCount(problems) - 1;
  // A name that is blank, or begins with a colon, would look like no name.
  const named = /^[\s:]/.test(first.path) ? `'${first.path}'` : first.path;
  const where = first.path === '' ? whole : named;
  return `${where}: ${first.description}${more > 0 ? ` (and ${more} more)` : ''}`;
}

function under(prefix: string, problem: Problem): Problem {
  if (problem.path === '') return { ...problem, path: prefix };
  const glue = problem.path.startsWith('[') ? '' : '.';
  return { ...problem, path: `${prefix}${glue}${problem.path}` };
}

function bounded(problem: Problem): Problem {
  const { name, description, path } = problem;
  if (description.length <= PROBLEM_CHARS_MAX && path.length <= PROBLEM_CHARS_MAX) return problem;
  return { name, description: cut(description), path: cut(path) };
}

function cut(text: string): string {
  if (text.length <= PROBLEM_CHARS_MAX) return text;
  // An unpaired surrogate could not be encoded as UTF-8.
  return `${text.slice(0, PROBLEM_CHARS_MAX).replace(/[\ud800-\udbff]$/, '')}…`;
}
