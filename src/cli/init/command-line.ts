/** `init`. Its code is loaded at a call. */
import { type Command, Option } from 'commander';
import { examples, local, type Run } from '../frame/command.ts';

export function addInit(program: Command, run: Run): void {
  local(program.command('init').argument('[directory]'))
    .summary('write a file that describes a workflow, to begin with')
    .description(
      'Writes millrace.yaml for `millrace apply`, and the directories that it names. With --example it writes one of ' +
        'the examples of the guide with some files: `words` sorts and compresses long texts, `images` makes ' +
        'thumbnails of large images. It overwrites nothing.',
    )
    .addOption(
      new Option('--example [name]', 'an example that works: words or images')
        .choices(['words', 'images'])
        .preset('words'),
    )
    .addHelpText('after', examples('init', 'init --example', 'init pictures --example=images'))
    .action(
      run(async (context, options, directory) =>
        (await import('./init.ts')).runInit(context, options, directory),
      ),
    );
}
