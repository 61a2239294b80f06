/** Files whose syntax, jobs or workspaces are wrong, and what is reported of them: line, column and message. */

export type WrongFile = readonly [title: string, lines: readonly string[], findings: readonly string[]];

const SET = ['set: words'];

export const WRONG_JOBS: readonly WrongFile[] = [
  ['no document but a list', ['- a'], ['1:1: error: a document must be a map']],
  [
    'a Seed manifest instead of a document',
    ['seedVersion: 1.0.0', 'job: {name: a}'],
    [
      "1:1: error: this is a Seed manifest: put it below 'manifest' of an entry of 'job_types' " +
        '(docs/apply.md, the full form), or run it once with `millrace type try`',
    ],
  ],
  [
    'an unknown section',
    [...SET, 'job:', '  count: {}'],
    [`2:1: error: a document has no field 'job'; did you mean 'jobs'?`],
  ],
  [
    'a set that is a number',
    ['set: 5', 'jobs: {}'],
    [`1:6: error: 'set' must be a text: write it in quotes, '5'`],
  ],
  [
    'a set with a capital',
    ['set: Words'],
    [`1:6: error: 'set' must be lower-case letters, digits and dashes, with a letter, and not 'validation'`],
  ],
  [
    'a set that is too long',
    ['set: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    [`1:6: error: 'set' must have at most 50 characters`],
  ],
  [
    'the short form without a set',
    ['jobs: {count: {run: ls}}'],
    [`1:1: error: 'jobs' in the short form needs a 'set: NAME' in the document`],
  ],
  [
    'a tab as indentation',
    [...SET, 'jobs:', '\tcount: {}'],
    ['3:1: error: not valid YAML: Tabs are not allowed as indentation'],
  ],
  [
    'a flow map that does not end',
    [...SET, 'jobs: {count: {run: ls'],
    [
      '3:1: error: not valid YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
  ],
  ['a quote that does not end', [`set: 'words`], [`2:1: error: not valid YAML: Missing closing 'quote`]],
  [
    'a key twice',
    [...SET, 'jobs:', '  a: {run: ls}', '  a: {run: ls}'],
    [`4:3: error: 'a' is given twice, first in line 3`],
  ],
  [
    'a key that would become a prototype',
    [...SET, 'jobs: {__proto__: {run: ls}}'],
    [`2:8: error: '__proto__' cannot be a key`],
  ],
  [
    'a merge key',
    ['base: &b {run: ls}', 'set: words', 'jobs: {a: {<<: *b}}'],
    [
      `1:1: error: a document has no field 'base'; known are: set, workspaces, jobs, job_types,` +
        ` recipe, recipes, recipe_types, strike, strikes, scan, scans`,
      `3:8: error: the job 'a' needs 'run', a shell script, or 'command'`,
      `3:12: error: '<<' (merge) is not accepted: repeat the fields, or use an alias for a whole value`,
    ],
  ],
  [
    'an alias without an anchor',
    [...SET, 'jobs: *jobs'],
    [`2:7: error: there is no anchor '&jobs' before it`],
  ],
  ['an anchor inside itself', [...SET, 'jobs: &a {b: *a}'], [`2:14: error: '*a' is inside its own anchor`]],
  ['a tag', ['set: !!str words'], ['1:12: error: tags (!…) are not accepted']],
  [
    'a tag of a language',
    ['set: !!js/function words'],
    ['1:6: error: not valid YAML: Unresolved tag: tag:yaml.org,2002:js/function'],
  ],
  [
    'a number that is too large',
    [...SET, 'jobs: {a: {run: ls, timeout: 12345678901234567890}}'],
    ['2:30: error: the value is a larger integer than JSON can hold'],
  ],
  ['a NUL character', ['set: wo\u0000rds'], ['1:8: error: the file contains a NUL character']],
  [
    'a directive',
    ['%YAML 1.1', '---', 'set: words'],
    ['1:1: error: the file must be YAML 1.2: take the %YAML directive out'],
  ],
  ['jobs that are a list', [...SET, 'jobs: [count]'], [`2:7: error: 'jobs' must be a map`]],
  ['a job that is a text', [...SET, 'jobs: {count: ls}'], [`2:15: error: the job 'count' must be a map`]],
  [
    'a job without a command',
    [...SET, 'jobs: {count: {in: {TEXT: file}}}'],
    [`2:8: error: the job 'count' needs 'run', a shell script, or 'command'`],
  ],
  [
    'a job with two commands',
    [...SET, 'jobs: {count: {run: ls, command: ls}}'],
    [`2:25: error: the job 'count' has 'run' and 'command': give only one of them`],
  ],
  [
    'a mistyped field of a job',
    [...SET, 'jobs: {count: {run: ls, timout: 5}}'],
    [`2:25: error: the job 'count' has no field 'timout'; did you mean 'timeout'?`],
  ],
  [
    'a script that is a number',
    [...SET, 'jobs: {count: {run: 5}}'],
    [`2:21: error: 'run' must be a text: write it in quotes, '5'`],
  ],
  [
    'a mistyped variable',
    [...SET, `jobs: {count: {run: 'wc "$TXT"', in: {TEXT: file}}}`],
    [`2:26: error: no variable '$TXT' is set for the script; did you mean 'TEXT'?`],
  ],
  [
    'a variable in lower case in a block',
    [...SET, 'jobs:', '  count:', '    in: {TEXT: file}', '    run: |', '      wc -l \\', '        "$text"'],
    [`7:10: error: no variable '$text' is set for the script; did you mean 'TEXT'?`],
  ],
  [
    'a variable in double quotes with escapes',
    [...SET, 'jobs: {count: {run: "echo \\"\\u0041\\" $NAME"}}'],
    [`2:38: error: no variable '$NAME' is set for the script; known are: OUTPUT_DIR, INPUT_METADATA`],
  ],
  [
    'a name of a job with a blank',
    [...SET, `jobs: {'a b': {run: ls}}`],
    [`2:8: error: 'job.name' must be made of letters, digits and hyphens, not 'a b'`],
  ],
  [
    'an input of no type',
    [...SET, 'jobs: {count: {run: ls, in: {TEXT: fil}}}'],
    [
      `2:36: error: the input 'TEXT' must be one of file, files, array, boolean, integer, number,` +
        ` object, string, not 'fil'; did you mean 'file'?`,
    ],
  ],
  [
    'an input that is a number',
    [...SET, 'jobs: {count: {run: ls, in: {TEXT: 5}}}'],
    [
      `2:36: error: the input 'TEXT' must be one of file, files, array, boolean, integer, number, object, string`,
    ],
  ],
  [
    'an input with a reserved name',
    [...SET, 'jobs: {count: {run: ls, in: {when: file}}}'],
    [`2:30: error: 'when' is a reserved word and cannot name an input`],
  ],
  [
    'an input named like a variable of all jobs',
    [...SET, 'jobs: {count: {run: ls, in: {OUTPUT_DIR: file}}}'],
    [
      `2:30: error: 'OUTPUT_DIR' becomes the variable OUTPUT_DIR, which is taken by a variable that every job gets`,
    ],
  ],
  [
    'an input whose full form lacks its type',
    [...SET, 'jobs: {count: {run: ls, in: {TEXT: {required: false}}}}'],
    [`2:30: error: the input 'TEXT' needs 'type'`],
  ],
  [
    'media types of a JSON input',
    [...SET, 'jobs: {count: {run: ls, in: {N: {type: integer, media_types: [a/b]}}}}'],
    [`2:49: error: 'media_types' is only for files, and 'N' is a JSON value`],
  ],
  [
    'an output with pattern and type',
    [...SET, 'jobs: {count: {run: ls, out: {N: {pattern: a, type: integer}}}}'],
    [`2:47: error: the output 'N' has 'pattern' and 'type': an output is a file or a JSON value`],
  ],
  [
    'an output with neither',
    [...SET, 'jobs: {count: {run: ls, out: {N: {required: true}}}}'],
    [`2:31: error: the output 'N' needs 'pattern' for a file, or 'type' for a JSON value`],
  ],
  [
    'an output outside its directory',
    [...SET, 'workspaces: {r: /tmp}', `jobs: {count: {run: ls, out: {N: '../a'}, into: r}}`],
    ['3:34: error: the pattern must stay inside the output directory'],
  ],
  [
    'a file output without a workspace',
    [...SET, `jobs: {count: {run: ls, out: {N: '*.gz'}}}`],
    [`2:31: error: the output 'N' has no workspace, neither of its own nor by default`],
  ],
  [
    'an output that no `out` has, sent somewhere',
    [...SET, 'workspaces: {r: /tmp}', `jobs: {count: {run: ls, out: {SORTED: '*.gz'}, into: {SORTD: r}}}`],
    [
      `3:31: error: the output 'SORTED' has no workspace, neither of its own nor by default`,
      `3:55: error: there is no file output 'SORTD'; did you mean 'SORTED'?`,
    ],
  ],
  [
    'a resource that is a text',
    [...SET, 'jobs: {count: {run: ls, cpus: many}}'],
    [`2:31: error: 'cpus' must be a number`],
  ],
  [
    'a timeout of nothing',
    [...SET, 'jobs: {count: {run: ls, timeout: 0}}'],
    [`2:34: error: 'job.timeout' must be at least 1`],
  ],
  [
    'a version that is none',
    [...SET, 'jobs: {count: {run: ls, version: one}}'],
    [
      `2:34: error: 'job.jobVersion' must be a semantic version such as 1.0.0`,
      `2:34: error: 'job.packageVersion' must be a semantic version such as 1.0.0`,
    ],
  ],
  [
    'a setting that is a number',
    [...SET, 'jobs: {count: {run: ls, settings: {LEVEL: 9}}}'],
    [`2:43: error: the setting 'LEVEL' must be a text: write it in quotes`],
  ],
  [
    'too many tries',
    [...SET, 'jobs: {count: {run: ls, max_tries: 1001}}'],
    [`2:36: error: 'max_tries' must be <= 1000`],
  ],
  [
    'a priority of nothing',
    [...SET, 'jobs: {count: {run: ls, priority: 0}}'],
    [`2:35: error: 'priority' must be at least 1`],
  ],
  [
    'a label that is none',
    [...SET, `jobs: {count: {run: ls, labels: {'a b': c}}}`],
    [
      `2:41: error: 'labels.a b' is no label: 1 to 63 letters, digits, dots, dashes, underscores and` +
        ` slashes, with a letter or digit at both ends`,
    ],
  ],
  [
    'a workspace at an address',
    [...SET, `workspaces: {texts: 's3://bucket'}`],
    [`2:21: error: 's3://bucket' is not a directory: other places need 'broker'`],
  ],
  [
    'a workspace in a home',
    [...SET, 'workspaces: {texts: ~/in}'],
    [`2:21: error: '~' has no meaning here: write the directory in full, or relative to the file`],
  ],
  [
    'a workspace at the root',
    [...SET, 'workspaces: {texts: /}'],
    [`2:21: error: 'host_path' must not be the root of the host`],
  ],
  [
    'a workspace with a capital',
    [...SET, 'workspaces: {Texts: /tmp}'],
    [
      `2:14: error: 'name' must be lower-case letters, digits and dashes, with a letter, and not 'validation'`,
    ],
  ],
  [
    'a workspace with path and broker',
    [...SET, 'workspaces: {texts: {path: /tmp, broker: {type: host}}}'],
    [
      `2:34: error: the workspace 'texts' needs either 'path', a directory, or 'broker', as the interface has it`,
    ],
  ],
  [
    'a broker of no type',
    [...SET, 'workspaces: {texts: {broker: {type: hos, host_path: /tmp}}}'],
    [`2:37: error: 'broker.type' must be one of 'host', 'nfs', 'objstore'; did you mean 'host'?`],
  ],
];
