// What the server has for the interoperability run alone: errors, progress, a call that waits, questions, a resource and a prompt.
package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const note = "mem://note"

type handler = func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error)

func addInterop(served *server.MCPServer) {
	tool := func(name string, run handler) {
		served.AddTool(mcp.NewTool(name, mcp.WithDescription(name)), run)
	}
	tool("fail", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("it failed"), nil
	})
	served.AddTool(mcp.NewTool("steps", mcp.WithNumber("count", mcp.Required())), steps)
	var waited atomic.Value
	waited.Store("nothing")
	tool("wait", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		waited.Store("waiting")
		select {
		case <-ctx.Done():
			waited.Store("cancelled")
			return nil, ctx.Err()
		case <-time.After(20 * time.Second):
			waited.Store("ended")
			return mcp.NewToolResultText("not cancelled"), nil
		}
	})
	tool("waited", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(waited.Load().(string)), nil
	})
	tool("ask", ask)
	tool("sample", sample)
	tool("touch", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		served.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": note})
		return mcp.NewToolResultText("touched"), nil
	})
	served.AddResource(mcp.NewResource(note, "note", mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: note, MIMEType: "text/plain", Text: "a note"}}, nil
	})
	greet := mcp.NewPrompt("greet", mcp.WithArgument("name", mcp.RequiredArgument()))
	served.AddPrompt(greet, func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := mcp.NewTextContent("Hello " + request.Params.Arguments["name"])
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
	})
}

func steps(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	count := request.GetInt("count", 0)
	if request.Params.Meta != nil && request.Params.Meta.ProgressToken != nil {
		for step := 1; step <= count; step++ {
			params := map[string]any{"progressToken": request.Params.Meta.ProgressToken, "progress": step, "total": count}
			if err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
				return nil, err
			}
		}
	}
	return mcp.NewToolResultText("done"), nil
}

// ask and sample return what they need, the SDK's way for both families: it asks an older client itself.
func ask(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.ElicitationResponse(request.Params.InputResponses, "name"); answer != nil {
		content, _ := answer.Content.(map[string]any)
		name, _ := content["name"].(string)
		return mcp.NewToolResultText(string(answer.Action) + ":" + name), nil
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"}}
	question := mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: "Who?", RequestedSchema: schema}
	return server.NewInputRequestBuilder("asked").Elicit("name", question).ToolResult(), nil
}

func sample(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.SamplingResponse(request.Params.InputResponses, "text"); answer != nil {
		return mcp.NewToolResultText("sampled: " + mcp.GetTextFromContent(answer.Content)), nil
	}
	message := mcp.SamplingMessage{Role: mcp.RoleUser, Content: mcp.NewTextContent("Say hi")}
	question := mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{message}}
	return server.NewInputRequestBuilder("asked").Sample("text", question).ToolResult(), nil
}
