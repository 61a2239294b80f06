/** Files whose conditions, recipes or strikes are wrong, and what is reported of them: line, column and message. */
import type { WrongFile } from './wrong-jobs.ts';

const SET = ['set: words'];
const JOB = `jobs: {count: {run: 'wc -l <"$TEXT"', in: {TEXT: file}, out: {WORDS: integer}}}`;
const CALL = ['recipe:', '  in: {TEXT: file}', '  count: {job: count, TEXT: in.TEXT}'];
const RECIPE = [...SET, JOB, ...CALL];
const WATCHED = [...SET, 'workspaces: {texts: /tmp}', JOB, ...CALL];

export const WRONG_RECIPES: readonly WrongFile[] = [
  [
    'a comparison that begins with the value',
    [...RECIPE, `  large: {when: '100 < count.WORDS'}`],
    [`6:18: error: a comparison begins with 'node.OUTPUT' or 'in.NAME', as in 'count.WORDS > 100'`],
  ],
  [
    'an equals sign',
    [...RECIPE, `  large: {when: 'count.WORDS = 100'}`],
    [`6:30: error: write '==' instead of '='`],
  ],
  [
    'an arrow for a comparison',
    [...RECIPE, `  large: {when: 'count.WORDS => 100'}`],
    [`6:30: error: write '>=' instead of '=>'`],
  ],
  [
    'three equals signs',
    [...RECIPE, `  large: {when: 'count.WORDS === 100'}`],
    [`6:30: error: write '==' instead of '==='`],
  ],
  [
    'a text without quotes',
    [...RECIPE, `  large: {when: 'in.TEXT.name == report'}`],
    [`6:34: error: expected here: a number, a text in quotes, true or false; a text needs quotes: 'report'`],
  ],
  [
    'a reference on the right',
    [...RECIPE, `  large: {when: 'count.WORDS > count.WORDS'}`],
    ['6:32: error: only a literal may stand on the right, not a reference'],
  ],
  [
    'and mixed with or',
    [...RECIPE, `  large: {when: 'count.WORDS > 1 and count.WORDS < 5 or count.WORDS == 9'}`],
    [`6:54: error: 'and' and 'or' cannot be mixed: make two conditions`],
  ],
  [
    'parentheses',
    [...RECIPE, `  large: {when: '(count.WORDS > 1)'}`],
    [
      `6:18: error: parentheses are not accepted: a condition is comparisons joined by only 'and' or only 'or'`,
    ],
  ],
  [
    'an unknown node in a condition',
    [...RECIPE, `  large: {when: 'cuont.WORDS > 100'}`],
    [`6:18: error: there is no node 'cuont'; did you mean 'count'?`],
  ],
  [
    'an unknown output in a condition',
    [...RECIPE, `  large: {when: 'count.WORD > 100'}`],
    [`6:18: error: 'count' has no output 'WORD'; did you mean 'WORDS'?`],
  ],
  [
    'an operator that does not fit',
    [...RECIPE, `  large: {when: 'count.WORDS contains 100'}`],
    [
      `6:30: error: 'contains' does not fit type 'integer', which takes <, <=, >, >=, ==, !=, between, in, not in`,
    ],
  ],
  [
    'a text for a number',
    [...RECIPE, `  large: {when: 'count.WORDS > "100"'}`],
    [`6:32: error: a value of type 'integer' is compared with a number`],
  ],
  [
    'a file without what is looked at',
    [...RECIPE, `  large: {when: 'in.TEXT == "a"'}`],
    [`6:18: error: 'in.TEXT' is a file: compare its .name, .media_type or .meta.KEY`],
  ],
  [
    'limits in the wrong order',
    [...RECIPE, `  large: {when: 'count.WORDS between 5 and 1'}`],
    ['6:38: error: the lower limit comes first'],
  ],
  [
    'a list for one value',
    [...RECIPE, `  large: {when: 'count.WORDS > [1, 2]'}`],
    [`6:32: error: '>' takes one value, not a list`],
  ],
  [
    'one value for a list',
    [...RECIPE, `  large: {when: 'count.WORDS in 1'}`],
    [`6:33: error: a list is expected here, such as ['a', 'b']`],
  ],
  [
    'a condition that ends early',
    [...RECIPE, `  large: {when: 'count.WORDS >'}`],
    ['6:31: error: expected here: a number, a text in quotes, true or false'],
  ],
  [
    'a quoted condition of two lines',
    [...RECIPE, '  large: {when: "count.WORDS > 1 and\\n  nope.X > 2"}'],
    [`6:41: error: there is no node 'nope'`],
  ],
  ['an empty condition', [...RECIPE, `  large: {when: ''}`], [`6:17: error: 'when' is empty`]],
  [
    'a number that JSON does not have',
    [...RECIPE, `  large: {when: 'count.WORDS > 0100'}`],
    ['6:32: error: this is not a JSON number'],
  ],
  [
    'an unknown job',
    [...RECIPE, '  pack: {job: pack, TEXT: in.TEXT}'],
    [
      `6:15: error: there is no job 'pack' in these files; a job type of the server is called as 'pack@1.0.0'`,
    ],
  ],
  [
    'an unknown job with a near name',
    [...RECIPE, '  again: {job: cuont, TEXT: in.TEXT}'],
    [`6:16: error: there is no job 'cuont' in these files; did you mean 'count'?`],
  ],
  [
    'a node without a call',
    [...RECIPE, '  pack: {TEXT: in.TEXT}'],
    [`6:3: error: the node 'pack' needs 'job', 'recipe' or 'when'`],
  ],
  [
    'a node that calls twice',
    [...RECIPE, '  pack: {job: count, recipe: other, TEXT: in.TEXT}'],
    [`6:22: error: the node 'pack' has 'job' and 'recipe': give only one of them`],
  ],
  [
    'an empty list of conditions',
    [...RECIPE, '  two: {job: count, TEXT: in.TEXT, if: []}'],
    [`6:40: error: 'if' names no condition: leave it out where the node always runs`],
  ],
  [
    'a node with a reserved name',
    [...RECIPE, '  when: {job: count, TEXT: in.TEXT}'],
    [`6:3: error: 'when' is a reserved word and cannot name a node`],
  ],
  [
    'an input that the job does not have',
    [...RECIPE, '  two: {job: count, TEXT: in.TEXT, TXET: in.TEXT}'],
    [
      `6:36: error: the job has no input 'TXET'; did you mean 'TEXT'?`,
      `6:42: warning: the node has no input 'TXET': the connection is ignored`,
    ],
  ],
  [
    'an input that the job needs',
    [...RECIPE, '  two: {job: count}'],
    [`6:3: error: the node 'two' needs the input 'TEXT', as in 'TEXT: in.TEXT'`],
  ],
  [
    'an input that the recipe does not have',
    [...RECIPE, '  two: {job: count, TEXT: in.TEX}'],
    [`6:27: error: the recipe has no input 'TEX'; did you mean 'TEXT'?`],
  ],
  [
    'a fixed value as input',
    [...RECIPE, '  two: {job: count, TEXT: /tmp/a}'],
    [
      `6:27: error: the input 'TEXT' must be 'in.NAME' or 'node.OUTPUT'; fixed values are settings of the job`,
    ],
  ],
  [
    'a JSON value for a file',
    [...RECIPE, '  two: {job: count, TEXT: count.WORDS}'],
    [`6:27: error: node 'two': MISMATCHED_PARAM_TYPE: the input 'TEXT' takes files, but is fed a JSON value`],
  ],
  [
    'an unknown condition',
    [...RECIPE, '  two: {job: count, TEXT: in.TEXT, if: not lrage}', `  large: {when: 'count.WORDS > 1'}`],
    [`6:44: error: there is no condition 'lrage'; did you mean 'large'?`],
  ],
  [
    'a condition that is none',
    [...RECIPE, '  two: {job: count, TEXT: in.TEXT, if: count}'],
    [`6:40: error: 'count' is not a condition: it has no 'when'`],
  ],
  [
    'both outcomes of a condition',
    [
      ...RECIPE,
      `  large: {when: 'count.WORDS > 1'}`,
      '  two: {job: count, TEXT: in.TEXT, if: [large, not large]}',
    ],
    [`7:52: error: 'large' is given twice, with and without 'not'`],
  ],
  [
    'nodes that wait for each other',
    [
      ...SET,
      'jobs: {m: {run: ls, in: {N: integer}, out: {N: integer}}}',
      'recipe:',
      '  a: {job: m, N: b.N}',
      '  b: {job: m, N: a.N}',
    ],
    ['3:1: error: nodes wait for each other: a, b'],
  ],
  [
    'an input of a recipe with a digit',
    [
      ...SET,
      `jobs: {count: {run: 'wc -l <"$TEXT"', in: {TEXT: file}, out: {WORDS: integer}}}`,
      'recipe: {in: {TEXT1: file}, count: {job: count, TEXT: in.TEXT1}}',
    ],
    [
      `3:15: error: the input 'TEXT1' of a recipe has letters, '_' and '-' only`,
      `3:55: error: the recipe has no input 'TEXT1'`,
    ],
  ],
  [
    'a strike without a recipe',
    [...SET, 'workspaces: {texts: /tmp}', `strike: {watch: texts, match: '*.txt'}`],
    [`3:1: error: the strike 'words' needs 'recipe'`],
  ],
  [
    'a strike without a pattern',
    [...WATCHED, 'strike: {watch: texts, recipe: words}'],
    [`7:1: error: the strike 'words' needs either 'match', a pattern such as '*.txt', or 'regex'`],
  ],
  [
    'a pattern whose bracket is open',
    [...WATCHED, `strike: {watch: texts, match: 'a[b', recipe: words}`],
    [`7:33: error: '[' has no ']'`],
  ],
  [
    'an expression with lookahead',
    [...WATCHED, `strike: {watch: texts, regex: '(?=a)b', recipe: words}`],
    [
      '7:31: error: invalid file name expression: cannot be run in linear time (lookaround and' +
        ' backreferences never can): error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ],
  [
    'a strike of a recipe with two files',
    [
      ...SET,
      'workspaces: {texts: /tmp}',
      'jobs: {j: {run: ls, in: {A: file, B: file}}}',
      'recipe: {in: {A: file, B: file}, j: {job: j, A: in.A, B: in.B}}',
      `strike: {watch: texts, match: '*', recipe: words}`,
    ],
    [`5:44: error: the recipe type 'words' has 2 required file inputs; an ingested file needs exactly one`],
  ],
  [
    'a mistyped field of a strike',
    [...WATCHED, `strike: {watch: texts, match: '*', recipe: words, transfer_sufix: x}`],
    [`7:51: error: the strike 'words' has no field 'transfer_sufix'; did you mean 'transfer_suffix'?`],
  ],
  [
    'a scan with match beside rules',
    [...SET, 'workspaces: {texts: /tmp}', `scan: {workspace: texts, match: '*', rules: [{match: a}]}`],
    [`3:26: error: 'match' belongs in the rules, because 'rules' is given`],
  ],
  [
    'a body without its name',
    ['workspaces:', '  - title: Texts', '    configuration: {broker: {type: host, host_path: /tmp}}'],
    [`2:5: error: a workspace needs 'name'`],
  ],
  [
    'a body with a wrong title',
    [
      'workspaces:',
      '  - name: texts',
      `    title: ''`,
      '    configuration: {broker: {type: host, host_path: /tmp}}',
    ],
    [`3:12: error: 'title' must have at least 1 character`],
  ],
  [
    'a body with a mistyped field',
    [
      'workspaces:',
      '  - name: texts',
      '    titel: a',
      '    title: a',
      '    configuration: {broker: {type: host, host_path: /tmp}}',
    ],
    [`3:12: error: 'titel' is not known here; did you mean 'title'?`],
  ],
  [
    'a manifest without a maintainer',
    [
      'job_types:',
      `  - container_image: 'process:default'`,
      '    manifest:',
      '      seedVersion: 1.0.0',
      '      job: {name: a, jobVersion: 1.0.0, packageVersion: 1.0.0, title: a, description: a, timeout: 5}',
    ],
    [
      `5:7: error: 'job.maintainer' is required`,
      `5:7: error: 'job.maintainer.name' is required`,
      `5:7: error: 'job.maintainer.email' is required`,
    ],
  ],
  [
    'the same job twice',
    [...SET, 'jobs: {a: {run: ls}}', '---', 'set: words', 'jobs: {a: {run: ls}}'],
    [`5:8: error: the job type 'a' version '1.0.0' is given twice, first at file:2:8`],
  ],
];
