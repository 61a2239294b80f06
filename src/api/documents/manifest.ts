/** The Seed manifest of a job type (`domain/manifest/manifest-check.ts`). */
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import { JSON_TYPES } from '../../domain/interface/interface.ts';
import { JOB_TYPES } from '../shared/examples.ts';
import { closed, form, listOf, may, text, whole, yesOrNo } from './fields.ts';

const ITEMS = { maxItems: 1_000 };
const NAME = '^[a-zA-Z0-9_-]+$';
/** A name that is a key of inputs, outputs or configurations. */
const KEY_NAME = '^(?!__proto__$)[a-zA-Z0-9_-]+$';
const IDENTIFIER = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const NUMBER = '(?:0|[1-9]\\d*)';
const SEMANTIC =
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?` +
  '(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$';

const name = (description: string) => text(description, { maxLength: 250, pattern: KEY_NAME });
const version = (description: string) => text(description, { maxLength: 50, pattern: SEMANTIC });
const jsonType = Type.Unsafe({
  type: 'string',
  enum: [...JSON_TYPES],
  description: 'The type of the value.',
});
const required = yesOrNo('Default: true.');

const InputFile = closed({
  name: name('The variable of the command that holds the path, such as `INPUT_FILE`.'),
  required,
  mediaTypes: may(
    listOf(text('Such as `text/plain`.', { maxLength: 250 }), 'Media types that it takes; none: any.', ITEMS),
  ),
  multiple: yesOrNo('Takes several files: the variable then holds a directory. Default: false.'),
  partial: yesOrNo('Only a part of the file is read. Default: false.'),
});
const InputJson = closed({ name: name('The variable that holds the value.'), type: jsonType, required });
const OutputFile = closed({
  name: name('The name by which connections refer to it.'),
  pattern: text('A pattern of names inside `OUTPUT_DIR`, such as `*.gz`; not absolute, and without `..`.', {
    maxLength: 1_000,
    pattern: '^[^/]',
  }),
  mediaType: may(text('Default: by the name of the file.', { maxLength: 250 })),
  multiple: yesOrNo('Several files may match. Default: false.'),
  required: yesOrNo('The job fails where no file matches. Default: true.'),
});
const OutputJson = closed({
  name: name('The name by which connections refer to it.'),
  type: jsonType,
  key: may(text('The key in `seed.outputs.json`. Default: the name.', { maxLength: 250 })),
  required: yesOrNo('The job fails without it. Default: true.'),
});
const Mount = closed({
  name: name('The name by which configurations refer to it.'),
  path: text('An absolute path in the container.', { maxLength: 1_000, pattern: '^/' }),
  mode: may(
    Type.Unsafe({ type: 'string', enum: ['ro', 'rw'], description: 'Read only, or not. Default: ro.' }),
  ),
});
const Setting = closed({
  name: name('The variable that holds its value.'),
  secret: yesOrNo('Its value is encrypted and never shown. Default: false.'),
});
const optionalText = (description: string) => may(text(description, { minLength: 0 }));

const list = (item: ReturnType<typeof closed>, description: string) => may(listOf(item, description, ITEMS));

const Interface = form('SeedInterface', 'Command, inputs and outputs of a job', {
  command: may(
    text(
      `The command. \`\${NAME}\` stands for the value of the input NAME, and \`\${OUTPUT_DIR}\` for the directory of ` +
        'outputs. Text in quotes is one argument: ' +
        `\`sh -c '…' job \${TEXT} \${OUTPUT_DIR}\` has both as \`$1\` and \`$2\`. Default: what the image runs.`,
      { minLength: 0, maxLength: 32_768 },
    ),
  ),
  inputs: may(
    closed(
      { files: list(InputFile, 'Files.'), json: list(InputJson, 'JSON values.') },
      {
        description: 'What the job takes. Names are those of variables of its environment.',
      },
    ),
  ),
  outputs: may(
    closed(
      {
        files: list(OutputFile, 'Files that it leaves in `OUTPUT_DIR`.'),
        json: list(OutputJson, 'Members of the object in `OUTPUT_DIR/seed.outputs.json`.'),
      },
      { description: 'What the job makes.' },
    ),
  ),
  mounts: list(Mount, 'Directories that the configuration supplies.'),
  settings: list(Setting, 'Variables whose values the configuration supplies.'),
});

const manifest = (name: string, title: string, timeout: TSchema, more: SchemaOptions) =>
  form(
    name,
    title,
    {
      seedVersion: Type.Unsafe({
        type: 'string',
        enum: ['1.0.0'],
        description: 'The version of the manifest form.',
      }),
      job: closed({
        name: text('Name and version together identify the job type.', {
          maxLength: 50,
          pattern: '^[a-zA-Z0-9-]+$',
        }),
        jobVersion: version('Of the job, such as `1.0.0`.'),
        packageVersion: version('Of its packaging, such as `1.0.0`.'),
        title: text('The name that people read.', { maxLength: 500, pattern: '\\S' }),
        description: text('For people.', { minLength: 0 }),
        tags: may(listOf(text('A word.', { maxLength: 50 }), 'Words by which it is found.', ITEMS)),
        maintainer: closed({
          name: text('A person or team.'),
          email: text('Their address.'),
          ...{
            organization: optionalText('Their organization.'),
            url: optionalText('Their web page.'),
            phone: optionalText('Their telephone number.'),
          },
        }),
        timeout,
        resources: may(
          closed({
            scalar: list(
              closed({
                name: text('`cpus`, `mem` and `disk` (MiB), `gpus`, `sharedmem`, or one that nodes offer.', {
                  maxLength: 100,
                  pattern: NAME,
                }),
                value: Type.Number({
                  minimum: 0,
                  maximum: Number.MAX_SAFE_INTEGER,
                  description: 'The amount.',
                }),
                inputMultiplier: may(
                  Type.Number({
                    minimum: 0,
                    maximum: 1_000_000,
                    description: 'Adds so many MiB for each MiB of input.',
                  }),
                ),
              }),
              'What a run needs.',
            ),
          }),
        ),
        interface: may(Interface),
        errors: list(
          closed({
            code: whole('The exit code; never 0.', { minimum: -2_147_483_647, not: { const: 0 } }),
            name: may(text('Default: from title and code.', { maxLength: 50, pattern: NAME })),
            title: may(text('For people.', { minLength: 0, maxLength: 250 })),
            description: optionalText('For people.'),
            category: may(
              Type.Unsafe({
                type: 'string',
                enum: ['job', 'data'],
                description: 'Whose fault it is: that of the job or of its data. Default: job.',
              }),
            ),
          }),
          'What exit codes mean.',
        ),
      }),
    },
    more,
  );

export const SeedManifest = manifest(
  'SeedManifest',
  'Seed manifest 1.0.0: what a job is, takes and makes',
  whole('Seconds after which a run has failed.', { minimum: 1 }),
  { examples: JOB_TYPES.map((type) => type.manifest) },
);

/** A manifest in answers. */
export const StoredManifest = manifest(
  'StoredManifest',
  'A Seed manifest with all defaults',
  whole('Seconds after which a run has failed; 0 for types of the system, which have none.', { minimum: 0 }),
  {},
);
