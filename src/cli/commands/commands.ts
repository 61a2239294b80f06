/** All commands, in the order and the groups of the help. */
import type { Command } from 'commander';
import { addApply } from '../apply/command-line.ts';
import { addCompletion } from '../completion/command-line.ts';
import { addDemo } from '../demo/command-line.ts';
import { addDoctor } from '../doctor/command-line.ts';
import type { AddCommands, Run } from '../frame/command.ts';
import { addAccounts, addDatabase, addKeys, addServices } from '../host/commands.ts';
import { addHelp } from '../host/help.ts';
import { addInit } from '../init/command-line.ts';
import { addTop } from '../live/top.ts';
import { addReprocess } from '../recipe-graph/reprocess.ts';
import { addRun, addTry } from '../run-job/command-line.ts';
import { addWatch } from '../watch/command-line.ts';
import { addBatches } from './batches.ts';
import { addChanges } from './changes.ts';
import { addFiles } from './files.ts';
import { addInterface } from './interface.ts';
import { addJobs } from './jobs.ts';
import { addNodes } from './nodes.ts';
import { addPurge } from './purge.ts';
import { addRecipes } from './recipes.ts';
import { addScans } from './scans.ts';
import { addSession } from './session.ts';
import { addStatus } from './status.ts';
import { addStrikes } from './strikes.ts';
import { addWhy } from './why.ts';

const GROUPS: readonly (readonly [heading: string, nouns: readonly AddCommands[]])[] = [
  ['Start here', [addWatch, addDemo, addInit, addDoctor]],
  [
    'Use a running service',
    [
      ...[
        addStatus,
        addTop,
        addRun,
        addTry,
        addJobs,
        addRecipes,
        addReprocess,
        addBatches,
        addFiles,
        addPurge,
        addStrikes,
      ],
      ...[addScans, addNodes, addWhy, addChanges, addInterface, addSession],
    ],
  ],
  ['Describe a service in files', [addApply]],
  ['Run a service, or work on its database', [addServices, addDatabase, addAccounts, addKeys]],
  ['Help', [addHelp, addCompletion]],
];

export function addCommands(program: Command, run: Run): void {
  for (const [heading, nouns] of GROUPS) {
    program.commandsGroup(`${heading}:`);
    for (const add of nouns) add(program, run);
  }
}
