// Package report runs the checks of a client and prints what each saw as a line of JSON: {"check": …, "value": …} or {"check": …, "error": …}.
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// OddText has what text goes wrong with: letters of two and three bytes, quotes, a backslash.
const OddText = "héllo 世界 \"quoted\"\\n"

// Run runs a check for at most 15 seconds. A panic of the SDK is its error, so that the checks after it still run.
func Run(name string, check func() (any, error)) {
	type outcome struct {
		value any
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if cause := recover(); cause != nil {
				done <- outcome{err: fmt.Errorf("panic: %v", cause)}
			}
		}()
		value, err := check()
		done <- outcome{value, err}
	}()
	select {
	case out := <-done:
		if out.err != nil {
			line(map[string]any{"check": name, "error": out.err.Error()})
		} else {
			line(map[string]any{"check": name, "value": out.value})
		}
	case <-time.After(15 * time.Second):
		line(map[string]any{"check": name, "error": "no end after 15 seconds"})
	}
}

func line(value map[string]any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, string(text))
}

// Refused is the value of a check that expects an error.
func Refused(err error) (any, error) {
	if err == nil {
		return "no error", nil
	}
	return "refused", nil
}

// Gather takes values of a channel until it has as many as wanted, or for ten seconds.
func Gather[T any](values <-chan T, wanted int) []T {
	got := []T{}
	deadline := time.After(10 * time.Second)
	for len(got) < wanted {
		select {
		case value := <-values:
			got = append(got, value)
		case <-deadline:
			return got
		}
	}
	return got
}

// Until asks until the answer is the wanted one, or for ten seconds; it returns the last answer.
func Until(wanted string, ask func() (string, error)) (any, error) {
	end := time.Now().Add(10 * time.Second)
	for {
		got, err := ask()
		if err != nil || got == wanted || time.Now().After(end) {
			return got, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
