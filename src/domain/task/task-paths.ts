/** The paths at which a task sees its files: fixed in a container, below its folder as a process. */

export interface TaskPaths {
  readonly input: string;
  readonly output: string;
  readonly inputMetadata: string;
}

/** The same for every container executor. */
export const CONTAINER_PATHS: TaskPaths = {
  input: '/millrace/input',
  output: '/millrace/output',
  inputMetadata: '/millrace/input-metadata.json',
};

/** The paths of a process. `root` is the folder of its execution. */
export function processPaths(root: string): TaskPaths {
  return {
    input: `${root}/input`,
    output: `${root}/output`,
    inputMetadata: `${root}/input-metadata.json`,
  };
}

/** The folder of an execution inside its agent's folder of executions. */
export function executionFolder(folder: string, executionId: number): string {
  return `${folder}/${executionId}`;
}

/**
 * The value of an input's variable: its only file, or the directory of all its files. `fileName` is the local name of
 * the first file.
 */
export function inputPath(
  paths: TaskPaths,
  input: { readonly name: string; readonly multiple: boolean },
  fileName: string,
): string {
  const directory = `${paths.input}/${input.name}`;
  return input.multiple ? directory : `${directory}/${fileName}`;
}
