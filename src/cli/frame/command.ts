/** The types with which files declare their commands. */
import type { Command } from 'commander';
import type { Context } from './context.ts';

/**
 * The code of a command. Its arguments are texts and lists of texts, as the command declares them. If it returns a
 * number, this is the exit code.
 */
// biome-ignore-start lint/suspicious: each command declares its own options; most return nothing
export type Handler = (context: Context, options: any, ...args: any[]) => Promise<void | number>;
// biome-ignore-end lint/suspicious: above
export type Run = (handler: Handler) => (...args: unknown[]) => Promise<void>;

/** Adds the commands of one noun. */
export type AddCommands = (program: Command, run: Run) => void;

/** Lines of examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ millrace ${line}\n`).join('')}`;
}

/** Marks a command that calls no service: options that choose a service are refused. */
export function local(command: Command): Command {
  return command.configureHelp({ showGlobalOptions: false });
}

export function isLocal(command: Command): boolean {
  return command.configureHelp().showGlobalOptions === false;
}

/** The name of a command with the nouns above it, without the program's name. */
export function nameOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}
