export const completionRequest = '__complete';

export const filesLine = ':files';

export const shells = ['bash', 'zsh', 'fish'] as const;

export const completionScripts: Record<(typeof shells)[number], string> = {
  bash: `\
# Completion of vals for bash 3.2 and later. To load it, run: eval "$(vals completion bash)"
_vals() {
  local words name
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local IFS=$'\\n'
  COMPREPLY=($(vals ${completionRequest} bash "\${words[@]}" 2>/dev/null))
  [ "\${COMPREPLY[0]-}" = ${filesLine} ] || return 0
  COMPREPLY=()
  # From bash 4 on, compopt lets bash complete the file names. Bash 3 has no compopt.
  compopt -o default 2>/dev/null && return
  while read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
}
if type compopt >/dev/null 2>&1; then complete -F _vals vals; else complete -o filenames -F _vals vals; fi
`,
  zsh: `\
#compdef vals
# Completion of vals for zsh. To load it, run: eval "$(vals completion zsh)"
_vals() {
  local -a lines
  lines=("\${(@f)$(vals ${completionRequest} zsh "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  if [[ $lines[1] == ${filesLine} ]]; then
    compset -P '--*='
    _files
  elif [[ -n $lines[1] ]]; then
    lines=("\${(@)lines/$'\\t'/:}")
    _describe 'vals' lines
  fi
}
if [[ $funcstack[1] == _vals ]]; then
  _vals "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _vals vals
fi
`,
  fish: `\
# Completion of vals for fish. To load it, run: vals completion fish | source
function __vals_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (vals ${completionRequest} fish $words "$current" 2>/dev/null)
    if test "$lines" = ${filesLine}
        set -l before (string match -r '^--[^=]*=' -- "$current")
        __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current") | string replace -r '^' -- "$before"
    else if set -q lines[1]
        printf '%s\\n' $lines
    end
end
complete -c vals -e
complete -c vals -f -a '(__vals_complete)'
`,
};
