/** One run of the `millrace` program: resolves with its exit code. */
import type { Terminal } from './frame/context.ts';
import { SERVICES } from './programs.ts';

export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const service = SERVICES.find((known) => known === name);
  // A service runs for months, so it does not load the code of other commands, nor they its.
  if (service !== undefined && !rest.includes('--help') && !rest.includes('-h')) {
    const { serve } = await import('./serve.ts');
    return serve(service, rest, terminal);
  }
  const { runProgram } = await import('./frame/program.ts');
  return runProgram(args.length === 0 ? ['--help'] : args, terminal);
}
