import t from 'tap';
import type { RecipeDefinition, RecipeNode } from '../../../src/domain/recipe/recipe-definition.ts';
import { diffDefinitions, type NodeDiff } from '../../../src/domain/recipe/recipe-diff.ts';

function job(over: Partial<RecipeNode> = {}, revision = 1, version = '1.0.0', name = 'type'): RecipeNode {
  const node_type = {
    node_type: 'job',
    job_type_name: name,
    job_type_version: version,
    job_type_revision: revision,
  } as const;
  return { dependencies: [], input: {}, node_type, ...over };
}
function on(...names: string[]): Pick<RecipeNode, 'dependencies'> {
  return { dependencies: names.map((name) => ({ name, acceptance: true })) };
}
function definition(
  nodes: Record<string, RecipeNode>,
  input: RecipeDefinition['input'] = { files: [], json: [] },
): RecipeDefinition {
  return { input, nodes };
}
function sub(revision: number, name = 'inner'): RecipeNode {
  const node_type = { node_type: 'recipe', recipe_type_name: name, recipe_type_revision: revision } as const;
  return { dependencies: [], input: {}, node_type };
}
function condition(values: number[]): RecipeNode {
  const filter = { name: 'N', type: 'integer', condition: '==', values } as const;
  const data_filter = { filters: [filter], all: true } as never;
  return {
    dependencies: [],
    input: {},
    node_type: { node_type: 'condition', interface: { files: [], json: [] }, data_filter },
  };
}

function changesOf(diff: NodeDiff | undefined): string[] {
  return (diff?.changes ?? []).map((change) => change.name);
}

t.test('recipe diff: the documented example gets the documented changes', async (t) => {
  const before = definition({ A: job(), B: job(on('A')), C: job(on('B')) });
  const after = definition({ A: job(), B: job(on('A'), 2), C: job(on('B')), D: job(on('A')) });

  const { nodes, ...rest } = diffDefinitions(before, after);

  t.strictSame(rest, { can_be_reprocessed: true, reasons: [] });
  t.match(nodes.A, { status: 'UNCHANGED', changes: [], reprocess_new_node: false, force_reprocess: false });
  t.match(nodes.B, { status: 'CHANGED', reprocess_new_node: true, node_type: { prev_job_type_revision: 1 } });
  t.strictSame(changesOf(nodes.B), ['JOB_TYPE_REVISION_CHANGE']);
  t.strictSame(changesOf(nodes.C), ['PARENT_CHANGED']);
  t.match(nodes.D, { status: 'NEW', changes: [], reprocess_new_node: true, dependencies: [{ name: 'A' }] });
});

t.test('recipe diff: equal definitions have only unchanged nodes', async (t) => {
  const same = definition({ A: job(), R: sub(1), C: condition([1]) });
  const { nodes } = diffDefinitions(same, structuredClone(same));
  t.strictSame(
    Object.values(nodes).map((node) => node.status),
    ['UNCHANGED', 'UNCHANGED', 'UNCHANGED'],
  );
  t.strictSame(nodes.C?.node_type, { node_type: 'condition' });
});

t.test('recipe diff: each change has its name', async (t) => {
  const wired = (from: string) => ({ input: { X: { type: 'recipe', input: from } as const } });
  const cases: [string[], RecipeNode, RecipeNode][] = [
    [['NODE_TYPE_CHANGE'], job(), sub(1)],
    [['JOB_TYPE_CHANGE'], job(), job({}, 1, '1.0.0', 'other')],
    [['JOB_TYPE_VERSION_CHANGE', 'JOB_TYPE_REVISION_CHANGE'], job(), job({}, 3, '2.0.0')],
    [['RECIPE_TYPE_CHANGE'], sub(1), sub(1, 'other')],
    [['RECIPE_TYPE_REVISION_CHANGE'], sub(1), sub(2)],
    [['FILTER_CHANGE'], condition([1]), condition([2])],
    [['PARENT_NEW'], job(), job(on('P'))],
    [['PARENT_REMOVED'], job(on('P')), job()],
    [['PARENT_ACCEPTANCE_CHANGED'], job(on('P')), job({ dependencies: [{ name: 'P', acceptance: false }] })],
    [['INPUT_NEW'], job(), job(wired('A'))],
    [['INPUT_REMOVED'], job(wired('A')), job()],
    [['INPUT_CHANGE'], job(wired('A')), job(wired('B'))],
  ];
  for (const [names, before, after] of cases) {
    const { nodes } = diffDefinitions(
      definition({ P: job(), N: before }),
      definition({ P: job(), N: after }),
    );
    t.strictSame(changesOf(nodes.N), names, names.join());
    t.equal(nodes.N?.status, 'CHANGED', names.join());
    t.equal(nodes.P?.status, 'UNCHANGED');
  }
  const { nodes } = diffDefinitions(definition({ N: job() }), definition({ N: sub(1) }));
  t.equal(nodes.N?.prev_node_type, 'job');
});

t.test('recipe diff: deleted nodes are listed, and an unsuitable input prevents reprocessing', async (t) => {
  const needed = { files: [{ name: 'F', media_types: [], required: true, multiple: false }], json: [] };
  const { can_be_reprocessed, reasons, nodes } = diffDefinitions(
    definition({ A: job(), B: job(on('A')) }),
    definition({ B: job(), N: job() }, needed),
  );
  t.equal(can_be_reprocessed, false);
  t.strictSame(
    reasons.map((reason) => reason.name),
    ['INPUT_CHANGE'],
  );
  t.match(nodes.A, { status: 'DELETED', changes: [], reprocess_new_node: false });
  t.ok(Object.values(nodes).every((node) => !node.reprocess_new_node));
});
