/** What a file of commands is made of. */
import type { Command } from 'commander';
import type { Context } from './context.ts';

/**
 * What a command does. Its arguments come as the command declares them, as texts and lists of texts. A number is its
 * exit code.
 */
// biome-ignore-start lint/suspicious: each command declares its own options; most return nothing
export type Handler = (context: Context, options: any, ...args: any[]) => Promise<void | number>;
// biome-ignore-end lint/suspicious: above
export type Run = (handler: Handler) => (...args: unknown[]) => Promise<void>;

/** Adds one noun's commands. */
export type AddCommands = (program: Command, run: Run) => void;

/** Lines of examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ millrace ${line}\n`).join('')}`;
}

/** A command that calls no service: options that choose one are refused. */
export function local(command: Command): Command {
  return command.configureHelp({ showGlobalOptions: false });
}

export function isLocal(command: Command): boolean {
  return command.configureHelp().showGlobalOptions === false;
}

/** With the nouns above it, and without the program. */
export function nameOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}
