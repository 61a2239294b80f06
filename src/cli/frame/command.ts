/** The types with which files declare their commands. */
import { type Command, Help, Option } from 'commander';
import { type Context, OUTPUTS } from './context.ts';
import { wrapLines } from './table.ts';

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

const ITEM_INDENT = '      ';

/** How help is laid out. Where a terminal has no room beside the terms, descriptions stand below them. */
export const HELP_FORM: Partial<Help> = {
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? Number.POSITIVE_INFINITY;
    const room = width - termWidth - ITEM_INDENT.length;
    if (room >= helper.minWidthToWrap)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    const lines = wrapLines(description, width - ITEM_INDENT.length, '');
    return [`  ${term}`, ...lines.map((line) => `${ITEM_INDENT}${line}`)].join('\n');
  },
  commandUsage(command) {
    const { helpWidth = Number.POSITIVE_INFINITY } = this;
    const usage = Help.prototype.commandUsage.call(this, command);
    return wrapLines(usage, helpWidth - 'Usage: '.length, ITEM_INDENT).join('\n');
  },
};

/** How a command shows its result. */
export function outputOption(): Option {
  return new Option('-o, --output <form>', 'how results are shown').choices([...OUTPUTS]);
}

/** Marks a command that calls no service. It refuses global options for services that it does not declare itself. */
export function local(command: Command): Command {
  return command.configureHelp({ ...HELP_FORM, showGlobalOptions: false });
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
