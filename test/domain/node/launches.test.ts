/** Launches in one message arrive as if each was sent alone. */
import t from 'tap';
import type {
  CoordinatorMessage,
  Kill,
  Launch,
  Launches,
} from '../../../src/domain/node/coordinator-messages.ts';
import { countLaunches, gatherLaunches, launchesOf, nextMessage } from '../../../src/domain/node/launches.ts';
import { TOGETHER_CHARS_MAX, TOGETHER_MAX } from '../../../src/domain/node/message-size.ts';
import { coordinatorMessageCodec } from '../../../src/wire/codecs/agent.ts';
import { grown } from '../../support/agent/grown.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';

const overTheWire = (launches: readonly Launch[]): readonly Launch[] => {
  const message = coordinatorMessageCodec.decode(coordinatorMessageCodec.encode(gatherLaunches(launches)));
  return message.type === 'launches' ? launchesOf(message) : [];
};
const alone = (launch: Launch) => coordinatorMessageCodec.decode(coordinatorMessageCodec.encode(launch));

t.test('launches: those in one message arrive in order and as if sent alone', async (t) => {
  const launches = [
    makeLaunch(1),
    makeLaunch(2, { command: 'false', launch: { isSystem: true, logLimitMib: 3, jsonInputs: '{"a":1}' } }),
    makeLaunch(3, { launch: { jobTypeVersion: '2.0.0', ownProductPaths: true } }),
    makeLaunch(4, { launch: { containerImage: 'other', environment: { A: 'b' }, resources: { cpus: 2 } } }),
    makeLaunch(5, { launch: { mounts: '{"m":{"type":"host","host_path":"/"}}' } }),
    makeLaunch(6),
  ];
  t.same(overTheWire(launches), launches.map(alone));
});

t.test('launches: the fields that launches of one revision share are sent once', async (t) => {
  const launch = (name: string, id: number) => makeLaunch(id, { launch: { jobTypeName: name } });
  const message = gatherLaunches([launch('a', 1), launch('b', 2), launch('a', 3)]);
  t.same(
    message.revisions.map(({ jobTypeName }) => jobTypeName),
    ['a', 'b'],
  );
  t.same(
    message.items.map((item) => [item.revision, item.launch.executionId, item.launch.manifest]),
    [
      [0, 1, ''],
      [1, 2, ''],
      [0, 3, ''],
    ],
  );
});

t.test('launches: a message holds a limited number and size, but always at least one', async (t) => {
  const many = Array.from({ length: TOGETHER_MAX + 1 }, (_, at) => makeLaunch(at + 1));
  t.equal(countLaunches(many, 0), TOGETHER_MAX);
  t.equal(countLaunches(many, TOGETHER_MAX), 1);
  t.equal(countLaunches(many, TOGETHER_MAX + 1), 0, 'nothing is left');
  const large = makeLaunch(9, { launch: { jsonInputs: 'x'.repeat(TOGETHER_CHARS_MAX) } });
  t.equal(countLaunches([large, makeLaunch(1)], 0), 1, 'even a large one');
  t.equal(countLaunches([makeLaunch(1), large], 0), 1);
  const half = 'm'.repeat(TOGETHER_CHARS_MAX / 2);
  const revised = (id: number, name: string) =>
    makeLaunch(id, { launch: { jobTypeName: name, manifest: half } });
  t.equal(
    countLaunches(
      ['a', 'b', 'c'].map((name, at) => revised(at, name)),
      0,
    ),
    1,
    'each with a large manifest',
  );
  t.equal(
    countLaunches(
      [1, 2, 3].map((id) => revised(id, 'a')),
      0,
    ),
    3,
    'with a shared manifest that is sent once',
  );
  const kill: Kill = { type: 'kill', executionId: 1 };
  t.equal(countLaunches([kill, makeLaunch(1)], 0), 0, 'other messages are sent alone');
  t.equal(countLaunches([makeLaunch(1), kill, makeLaunch(2)], 0), 1, 'and the order is kept');
});

/** A launch with a value in each of its fields and lists. */
const FULL = makeLaunch(1, {
  launch: {
    inputs: [
      {
        ...{ name: 'IN', multiple: false, partial: false },
        files: [
          {
            ...{ fileId: 1, workspaceUuid: 'u', path: 'a/b', fileName: 'b', size: 1, isSource: true },
            record: '{}',
          },
        ],
      },
    ],
    settings: [{ name: 'S', value: 'v', isSecret: false }],
    outputs: [{ output: 'OUT', workspaceUuid: 'u' }],
    workspaces: [{ uuid: 'u', name: 'w', configuration: '{}' }],
    ...{ environment: { A: 'b' }, inputMetadata: '{}', logLimitMib: 1, ownProductPaths: true },
  },
});

t.test('launches: a launch with a large text, list or map is sent alone', async (t) => {
  const large = [...grown(FULL, 2 * TOGETHER_CHARS_MAX)];
  t.ok(large.length > 20, `${large.length} texts, lists and maps`);
  for (const { path, value } of large) {
    t.equal(nextMessage([value, FULL], 0, true).count, 1, `large ${path}`);
    t.equal(nextMessage([FULL, value], 0, true).count, 1, `large ${path}, in the second`);
  }
});

t.test('launches: a message of the largest launches that are sent together is of bounded size', async (t) => {
  const bytes = [...grown(FULL, TOGETHER_CHARS_MAX / TOGETHER_MAX / 2, '\u{ffff}')].map(({ path, value }) => {
    const many = Array.from({ length: TOGETHER_MAX }, (): CoordinatorMessage => value);
    const { message, count } = nextMessage(many, 0, true);
    t.ok(count > 1, `${count} with a large ${path}`);
    return coordinatorMessageCodec.encode(message).length;
  });
  t.ok(Math.max(...bytes) < 4 * TOGETHER_CHARS_MAX, `${Math.max(...bytes)} bytes`);
});

t.test('launches: an item without its revision or without a launch is refused', async (t) => {
  const { revisions, items } = gatherLaunches([makeLaunch(1)]);
  const [item] = items;
  const withItem = (over: object) =>
    coordinatorMessageCodec.encode({
      ...{ type: 'launches', revisions },
      items: [{ ...item, ...over } as (typeof items)[number]],
    });
  const read = coordinatorMessageCodec.decode(withItem({ revision: 1 })) as Launches;
  t.throws(() => launchesOf(read), { code: 'INVALID_REQUEST' });
  t.throws(() => coordinatorMessageCodec.decode(withItem({ launch: undefined })), {
    code: 'INVALID_REQUEST',
  });
});
