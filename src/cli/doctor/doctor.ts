/** `doctor`: says what works on this machine, what does not, and what to do about it. It starts and changes nothing. */
import type { Config } from '../../config/config.ts';
import type { Context } from '../frame/context.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { readConfig } from '../frame/read-config.ts';
import type { SettingOptions } from '../frame/settings.ts';
import { database } from './database.ts';
import { executors } from './executors.ts';
import { type Finding, finding } from './finding.ts';
import { clock, dataFolder, disk, watches } from './host.ts';
import { service } from './service.ts';

/** Resolves with the exit code, which says whether everything that is needed works. */
export async function runDoctor(context: Context, options: SettingOptions): Promise<number> {
  const config = readConfig(context.terminal.env, options);
  const findings = await examine(context, config);
  if (context.isStructured) context.document(findings);
  else if (context.options.output === 'name') {
    for (const { what, verdict } of findings) context.print(`${verdict} ${what}`);
  } else for (const one of findings) show(context, one);
  const bad = findings.filter(({ verdict }) => verdict === 'no');
  if (bad.length === 0) return EXIT.done;
  context.problem(`millrace: ${bad.length} of ${findings.length} do not work`);
  return EXIT.failed;
}

async function examine(context: Context, config: Config): Promise<Finding[]> {
  const others = new Map<string, number>();
  const looked = (name: string | undefined, behindMs: number | undefined): void => {
    if (name !== undefined && behindMs !== undefined) others.set(name, behindMs);
  };
  const serviceFinding = await finding('service', async () => {
    const { finding: found, behindMs, server } = await service(context);
    looked(server, behindMs);
    return found;
  });
  const data = await finding('database', async () => {
    const { finding: found, behindMs } = await database(config);
    looked('the database', behindMs);
    return found;
  });
  return [
    {
      what: 'program',
      verdict: 'ok',
      found: `Millrace ${context.terminal.version}, Node ${process.version}`,
    },
    await finding('data folder', () => dataFolder(config.dataDir)),
    await finding('disk', () => disk(config.dataDir)),
    data,
    await finding('watching directories', () => watches()),
    ...(await executors(config)),
    await finding('clock', () => clock(others)),
    serviceFinding,
  ];
}

const COLORS = { ok: 32, note: 33, no: 31 } as const;

function show(context: Context, { what, verdict, found, help }: Finding): void {
  const mark = verdict.padEnd(4);
  context.write(context.hasColor ? `\u001b[${COLORS[verdict]}m${mark}\u001b[0m  ` : `${mark}  `);
  context.print(`${what}: ${found}`);
  if (help !== undefined) context.print(`      -> ${help}`);
}
