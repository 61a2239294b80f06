/**
 * Completion for shells. Each script asks `millrace complete` for the possible next words: a line for each word, with
 * its description after a tab; the line `:files` asks for names of files.
 *
 * What comes from a service is never evaluated by the shell: words go into arrays one by one (no `compgen -W`, which
 * expands them), and `complete` offers only words that no shell has to quote.
 */

/** bash also splits words at `:` and `=`: they are joined again, and the part before is removed from the answers. */
const BASH = `# bash completion of millrace: source <(millrace completion bash)
_millrace() {
  local words=() index word value cut before=''
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if ((\${#words[@]} > 0)) && [[ $word == [:=]* || $before == [:=] ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    before=\${word: -1}
  done
  word=\${words[\${#words[@]} - 1]}
  cut=\${word%"\${word##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ $value == :files ]]; then
      compopt -o default
    else
      COMPREPLY+=("\${value#"$cut"}")
      [[ $value == *[:/=] ]] && compopt -o nospace
    fi
  done < <("\${COMP_WORDS[0]}" complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _millrace millrace
`;

/** `open`: words that are continued, such as `workspace:`; no space is added after them. */
const ZSH = `#compdef millrace
# zsh completion of millrace: source <(millrace completion zsh)
_millrace() {
  local line value
  local -a values shown open opened
  for line in "\${(@f)$(\${words[1]} complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    value=\${line%%$'\\t'*}
    if [[ $value == :files ]]; then
      _files
    elif [[ $value == *[:/=] ]]; then
      open+=("$value")
      opened+=("\${line//$'\\t'/  }")
    elif [[ -n $value ]]; then
      values+=("$value")
      shown+=("\${line//$'\\t'/  }")
    fi
  done
  (( \${#values} )) && compadd -Q -d shown -a values
  (( \${#open} )) && compadd -Q -S '' -d opened -a open
}
if [[ \${funcstack[1]} == _millrace ]]; then
  _millrace "$@"
else
  compdef _millrace millrace
fi
`;

const FISH = `# fish completion of millrace: millrace completion fish | source
function __millrace
  set -l tokens (commandline -opc) (commandline -ct)
  for line in ($tokens[1] complete -- $tokens[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c millrace -f -a '(__millrace)'
`;

export const SHELLS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SHELLS;
