import t from 'tap';
import { WORK_VARIABLES, workVariables } from '../../../src/domain/job/work-variables.ts';

t.test(
  'work variables: each value has a MILLRACE name and the SCALE name that older images read',
  async (t) => {
    t.strictSame(workVariables({ jobId: 7, exeNum: 2, recipeId: 3, batchId: 4 }), {
      MILLRACE_JOB_ID: '7',
      MILLRACE_EXE_NUM: '2',
      MILLRACE_RECIPE_ID: '3',
      MILLRACE_BATCH_ID: '4',
      SCALE_JOB_ID: '7',
      SCALE_EXE_NUM: '2',
      SCALE_RECIPE_ID: '3',
      SCALE_BATCH_ID: '4',
    });
  },
);

t.test('work variables: a job without recipe and batch has no variables for them', async (t) => {
  const names = Object.keys(workVariables({ jobId: 7, exeNum: 1, recipeId: null, batchId: null }));
  t.strictSame(names, ['MILLRACE_JOB_ID', 'MILLRACE_EXE_NUM', 'SCALE_JOB_ID', 'SCALE_EXE_NUM']);
});

t.test('work variables: the exported list is complete', async (t) => {
  const all = Object.keys(workVariables({ jobId: 1, exeNum: 1, recipeId: 1, batchId: 1 }));
  t.strictSame([...WORK_VARIABLES], all);
});
