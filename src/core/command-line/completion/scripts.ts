export const completionRequest = '__complete';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** A line of the reply is a word, a tab and its description. Where vals offers no word, the shell completes files. */
export const completionScripts: Record<(typeof shells)[number], string> = {
  bash: `\
# Completion of vals for bash 3.2 and later. To load it, run: eval "$(vals completion bash)"
_vals() {
  local IFS=$'\\n'
  COMPREPLY=($(vals ${completionRequest} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _vals vals
`,
  zsh: `\
#compdef vals
# Completion of vals for zsh. To load it, run: eval "$(vals completion zsh)"
_vals() {
  local -a lines
  lines=("\${(@f)$(vals ${completionRequest} "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  if [[ -n $lines[1] ]]; then
    lines=("\${(@)lines/$'\\t'/:}")
    _describe 'vals' lines
  else
    _files
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
    vals ${completionRequest} $words (commandline -ct) 2>/dev/null
end
complete -c vals -e
complete -c vals -a '(__vals_complete)'
`,
};
