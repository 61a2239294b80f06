/** Paths of files as addresses of the interface name them. */
import { AppError } from '../errors.ts';
import { normalisePath, relativePathProblem } from '../paths.ts';

/** Why an address cannot name a file of a workspace (completes "the path …"), or undefined. */
export function fileAddressProblem(path: string): string | undefined {
  const problem = relativePathProblem(path);
  if (problem !== undefined) return problem;
  if (normalisePath(path) !== path) return `must have no empty segment and no '.' segment`;
  return undefined;
}

/**
 * Why such a path is no file of the workspace that a client may read or write, or undefined. Names that begin with a
 * dot are no files of clients: the marker of the workspace and unfinished files have such names.
 */
export function hiddenProblem(path: string): string | undefined {
  return path.split('/').some((name) => name.startsWith('.'))
    ? 'has a name that begins with a dot, which is no file of a workspace'
    : undefined;
}

export function pathNotAllowed(path: string, problem: string): AppError {
  const errors = [{ name: 'PATH_NOT_ALLOWED', description: problem, path: 'path' }];
  return new AppError('PATH_NOT_ALLOWED', `the path ${problem}`, { path, errors });
}
