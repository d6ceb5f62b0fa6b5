// run: check /bin/true
// exit: 2
// stderr: /bin/true:1:1: error: bad token '\x7F': no PTX token starts like this
// stderr: /bin/true:1:1: error: missing .version; a module starts with it
// stderr: /bin/true:1:5: error: bad token '\x02': no PTX token starts like this
// stderr: /bin/true:1:6: error: bad token '\x01': no PTX token starts like this
// stderr: /bin/true:1:7: error: bad token '\x01': no PTX token starts like this
// stderr: /bin/true:1:8: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:9: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:10: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:11: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:12: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:13: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:14: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:15: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:16: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:17: error: bad token '\x03': no PTX token starts like this
// stderr: /bin/true:1:18: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:20: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:21: error: bad token '\x01': no PTX token starts like this
// stderr: /bin/true:1:22: error: bad token '\x00': no PTX token starts like this
// stderr: /bin/true:1:23: error: bad token '\x00': no PTX token starts like this
// an ELF file is not PTX text
