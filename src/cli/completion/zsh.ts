// Completion for zsh, with the summaries beside the words.
import type { OfferedOption, Place, Places } from './places.ts';
import { caseTables, fillerWord, quoted } from './tables.ts';

export const zshCompletion = (everything: Places): string => `\
#compdef vals
# Completion of vals for zsh; load it with: eval "$(vals completion zsh)"

${caseTables(everything, placeRow)}

_vals_fill() {
  local -a names
  case $filler in
    :*) compadd -- \${(s.:.)filler#:} ;;
    val)
      names=(\${(f)"$(vals completion names 2>/dev/null)"})
      compadd -a names
      _files
      ;;
    file) _files ;;
    *) _message 'a word' ;;
  esac
}

_vals() {
  local place='' filler='' ended='' word=''
  local -i i=2 position=1
  local -a vals_commands vals_options vals_arguments
  _vals_place ''
  while (( i < CURRENT )); do
    word=$words[i]
    (( i += 1 ))
    if [[ -z $ended && $word == -- ]]; then
      ended=yes
    elif [[ -z $ended && $word == -* ]]; then
      [[ $word == *=* ]] && continue
      _vals_filler "$place" "$word"
      [[ -z $filler ]] && continue
      if (( i == CURRENT )); then
        _vals_fill
        return
      fi
      (( i += 1 ))
    elif (( \${vals_commands[(I)\${(b)word}:*]} )); then
      place="\${place:+$place }$word"
      position=1
      _vals_place "$place"
    else
      (( position += 1 ))
    fi
  done
  if [[ -z $ended && $PREFIX == --*=* ]]; then
    _vals_filler "$place" "\${PREFIX%%=*}"
    compset -P '*='
    _vals_fill
  elif [[ -z $ended && $PREFIX == -* ]]; then
    vals_options+=(${everything.everywhere.flatMap(described).join(' ')})
    _describe -o option vals_options
  elif (( $#vals_commands )); then
    _describe command vals_commands
  else
    if [[ $vals_arguments[-1] == ... && position -ge $#vals_arguments ]]; then
      (( position = $#vals_arguments - 1 ))
    fi
    filler=$vals_arguments[position]
    [[ -n $filler ]] && _vals_fill
  fi
}

if [[ $funcstack[1] == _vals ]]; then
  _vals "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _vals vals
fi
`;

function placeRow({ path, commands, options, arguments: fillers, isOpenEnded }: Place): string {
  const summaries = commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ');
  const takes = [...fillers.map(fillerWord), ...(isOpenEnded ? ['...'] : [])].join(' ');
  return `\
    ${quoted(path)})
      vals_commands=(${summaries})
      vals_options=(${options.flatMap(described).join(' ')})
      vals_arguments=(${takes})
      ;;`;
}

const described = ({ names, description }: OfferedOption): string[] =>
  names.map((name) => quoted(`${name}:${description}`));
