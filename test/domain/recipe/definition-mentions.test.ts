import t from 'tap';
import { mentionsOfDefinition } from '../../../src/domain/recipe/recipe-definition.ts';

const job = (): object => ({ node_type: 'job', job_type_name: 'job', job_type_version: '1.0.0' });
const node = (change: object): object => ({ dependencies: [], input: {}, ...change });

t.test(
  'recipe definition: types and revisions that it names are found even in an invalid definition',
  async (t) => {
    const wrong = {
      nodes: {
        a: { node_type: job() },
        b: node({ node_type: { node_type: 'recipe', recipe_type_name: 'r' } }),
        c: 5,
        d: node({ node_type: { node_type: 'recipe', recipe_type_name: 'r', recipe_type_revision: 3 } }),
      },
      x: 1,
    };
    t.strictSame(mentionsOfDefinition(wrong), {
      jobTypes: [{ name: 'job', version: '1.0.0' }],
      recipeTypes: ['r'],
      jobRevisions: [{ name: 'job', version: '1.0.0', revision: 0 }],
      recipeRevisions: [
        { name: 'r', revision: 0 },
        { name: 'r', revision: 3 },
      ],
    });
    const none = { jobTypes: [], recipeTypes: [], jobRevisions: [], recipeRevisions: [] };
    t.strictSame(mentionsOfDefinition(null), none);
    const unfit = { nodes: { a: node({ node_type: { ...job(), job_type_name: 'a\u0000' } }) } };
    t.strictSame(mentionsOfDefinition(unfit), none);
  },
);
