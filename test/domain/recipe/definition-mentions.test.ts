import t from 'tap';
import { mentionsOfDefinition } from '../../../src/domain/recipe/recipe-definition.ts';

const job = (): object => ({ node_type: 'job', job_type_name: 'job', job_type_version: '1.0.0' });
const node = (change: object): object => ({ dependencies: [], input: {}, ...change });

t.test('recipe definition: mentions are found in a wrong one as well', async (t) => {
  const wrong = {
    nodes: {
      a: { node_type: job() },
      b: node({ node_type: { node_type: 'recipe', recipe_type_name: 'r' } }),
      c: 5,
    },
    x: 1,
  };
  t.strictSame(mentionsOfDefinition(wrong), {
    jobTypes: [{ name: 'job', version: '1.0.0' }],
    recipeTypes: ['r'],
  });
  t.strictSame(mentionsOfDefinition(null), { jobTypes: [], recipeTypes: [] });
  const unfit = { nodes: { a: node({ node_type: { ...job(), job_type_name: 'a\u0000' } }) } };
  t.strictSame(mentionsOfDefinition(unfit), { jobTypes: [], recipeTypes: [] });
});
