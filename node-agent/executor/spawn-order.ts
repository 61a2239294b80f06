/** What the agent and its spawner say to each other. */

export interface SpawnOrder {
  readonly id: number;
  /** Absolute path. */
  readonly program: string;
  readonly argv: readonly string[];
  /** The whole environment. May hold secrets: goes through a socket, never to disk. */
  readonly environment: Readonly<Record<string, string>>;
}

export type SpawnAnswer =
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'exited'; readonly id: number; readonly exitCode: number | null }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };
